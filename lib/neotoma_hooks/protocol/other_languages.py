"""Ordinary words of other languages that open a sentence, a line or a label with a capital and name nothing.

For each language its function words and greetings, then the imperatives and infinitives that open an instruction, then nouns
for documents and business. Words that are common given names elsewhere (Mira, Ada, Nora) are left out.
"""

from __future__ import annotations

#: Function words, greetings, sentence adverbs.
FUNCTION_WORDS = frozenset(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen ich du er sie es wir ihr mich mir dich dir ihm ihn uns euch ihnen
    mein meine meinen dein deine sein seine unser unsere euer eure dieser diese dieses diesen diesem jener jede jeder jedes alle alles
    und oder aber denn sondern doch weil dass daß ob wenn als wie wo was wer wen wem wann warum wieso weshalb welche welcher welches woher wohin womit wofür
    in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter hinter neben zwischen durch für gegen ohne um bis seit während wegen trotz laut ab
    ist sind war waren bin bist wird werden wurde wurden hat habe haben hatte hatten kann können könnte konnte muss müssen soll sollte sollen darf will wollen mag möchte
    nicht nie auch nur noch schon sehr mehr hier dort da dann jetzt heute morgen gestern immer wieder leider vielleicht eigentlich außerdem übrigens trotzdem deshalb daher danach zuerst zuletzt
    ja nein bitte danke vielen hallo guten moin servus grüß liebe lieber liebes sehr geehrte geehrter geehrten gruß grüße freundlichen viele beste sonst also mal falls damit dabei dazu davon daran bevor nachdem obwohl ebenso endlich gerade bald
    le la les un une des du de au aux et ou mais donc or ni car je tu il elle on nous vous ils elles moi toi lui leur leurs eux mon ma mes ton ta tes son sa ses notre nos votre vos
    ce cet cette ces ceci cela ça c'est qui que quoi quel quelle quels quelles où quand comment pourquoi combien dans en sur sous avec sans pour par chez vers entre avant après depuis pendant selon d'après malgré contre dès jusqu'à
    est sont était étaient être avoir ai as a avons avez ont avait fait peut peux pouvez pourrait faut doit ne pas plus jamais rien encore déjà aussi très trop bien mal ici là alors puis ensuite enfin hier aujourd'hui demain toujours souvent
    oui non merci bonjour bonsoir salut bonne bon cher chère chers cordialement bienvenue s'il svp stp voici voilà si comme quand lorsque puisque parce afin tout toute tous toutes chaque quelques plusieurs certains autre autres même
    el los las una unos unas lo al del y e o u pero sino ni porque pues yo tú él ello nosotros vosotros ellos ellas usted ustedes mí ti me te se nos os mi mis tu tus su sus nuestro nuestra nuestros vuestro este esta esto estos estas ese esa eso esos esas aquel aquella
    que qué quien quién quiénes cual cuál cuándo cuando cómo como dónde donde cuánto cuántos por para con sin sobre entre hasta desde hacia según durante mediante contra tras ante bajo
    es son era eran fue fueron ser estar está están estaba he ha han hay había tiene tienen puede puedes podría debe hace no nunca jamás también tampoco muy más menos ya aún todavía sólo solo aquí allí ahora luego después entonces hoy ayer mañana siempre
    sí hola buenos buenas gracias favor estimado estimada estimados querido querida saludos ojo vale si aunque mientras todo toda todos todas cada otro otra otros algunos varios además finalmente primero
    il lo gli uno e ed ma però perché io lui lei noi voi loro mio tuo tua suo sua nostro vostro questo questa questi queste quello quella che chi quale quando come dove quanto di da con su per tra fra verso secondo dopo prima senza
    è sono era erano essere avere ho hai ha abbiamo hanno può puoi potresti deve non mai anche molto più meno già ancora solo qui lì adesso ora poi allora oggi ieri domani sempre sì ciao buongiorno buonasera grazie prego gentile caro cara cordiali saluti se mentre tutto tutti ogni altro altri inoltre infine ecco
    o os um uma uns umas ao à do da dos das no na nos nas em e ou mas porque eu você ele ela nós eles elas meu minha seu sua nosso isto isso esse essa este esta quem qual quando onde como quanto com sem sobre até desde entre após
    são estão está foi foram tem têm pode poderia deve não nunca também muito mais menos já ainda só aqui agora depois então hoje ontem amanhã sempre sim olá oi bom boa obrigado obrigada por prezado prezada caro abraços se embora todo todos cada outro além
    de het een en of maar want ik jij je hij zij wij jullie zij mij jou hem haar ons hun mijn jouw zijn onze deze dit die dat wie wat welke waar wanneer waarom hoe in op aan bij met naar van voor over onder uit door tegen zonder tot sinds tijdens volgens
    is zijn was waren heeft hebben had kan kunnen kun moet moeten zal zou niet nooit ook nog al zeer meer hier daar nu dan toen vandaag morgen gisteren altijd ja nee hallo goedemorgen bedankt dank graag alstublieft alsjeblieft beste geachte groeten als omdat hoewel terwijl alle elke
    og men eller jeg jag vi han hon det den som hvad vad hvor var när når hvordan hur varför til till fra från med utan uten för på av är er har kan ska skal ikke inte också også nu nå idag igår i'dag hej hei tack takk ja nej nei hvis om alla alle
    a i oraz lub albo ale więc bo że ja ty on ona ono my wy oni one mnie mi ciebie go jej nas was ich mój moja moje twój twoja nasz nasza ten ta to te ci tych tego tej który która które kto co jaki jaka jakie kiedy gdzie jak dlaczego czemu ile czy w we z ze na do od dla po pod nad przed za przez przy bez o u według podczas
    jest są był była było byli być ma mają może można trzeba nie tak nigdy też także tylko już jeszcze bardzo tutaj tu tam teraz wtedy potem dziś dzisiaj wczoraj jutro zawsze proszę dziękuję dzięki cześć witam dzień dobry pozdrawiam szanowny szanowna szanowni jeśli jeżeli gdy chociaż wszystko wszyscy każdy inne ponadto wreszcie
    a ale nebo protože já ty my vy jeho její náš váš tento tato toto který která kdo co kdy kde jak proč kolik jestli s se k ke ve u od před při bez pod nad jsou byl byla není ano ne dobrý den ahoj děkuji díky prosím dnes včera zítra už ještě také
    ve veya ama fakat ancak çünkü sen biz siz onlar bana sana ona bize size onlara benim senin onun bizim sizin bu şu o bunlar hangi ne neden niçin niye nasıl nerede nereye zaman kaç için ile gibi kadar sonra önce göre
    var yok değil çok daha en az hiç her bazı tüm bütün şimdi bugün dün yarın hemen artık hâlâ belki evet hayır tamam lütfen teşekkürler teşekkür merhaba selam sayın sevgili saygılar eğer ayrıca
    в во на с со к ко у о об от до из за по под над при про для без через между перед после около против и а но или да что чтобы если когда пока хотя потому так как где куда откуда почему зачем сколько кто какой какая какое какие который чей
    я ты он она оно мы вы они меня мне тебя тебе его ему её ей нас нам вас вам их им мой моя моё мои твой наш наша ваш ваша свой этот эта это эти тот та те весь вся всё все каждый любой другой сам самый
    не ни нет уже ещё еще тоже также только очень можно нужно надо нельзя есть был была было были будет будут здесь тут там сейчас теперь потом тогда сегодня вчера завтра всегда никогда может возможно конечно пожалуйста спасибо привет здравствуйте добрый доброе уважаемый уважаемая уважаемые итак кстати ок
    і й та або але бо що щоб якщо коли поки хоча тому як де куди звідки чому навіщо скільки хто який яка яке які чий з із зі до від для про при під над між після перед через без за у я ти він вона воно ми ви вони мене мені тебе тобі його йому її їй нас нам вас вам їх мій моя наш ваш свій цей ця це ці той те весь усі все кожен
    не ні вже ще теж також тільки дуже можна треба потрібно є був була було були буде тут там зараз тепер потім сьогодні вчора завтра завжди будь дякую привіт вітаю добрий доброго шановний шановна
    ο η το οι τα του της των τον την τους τις ένας μία μια ένα και ή αλλά όμως γιατί επειδή ότι πως αν όταν όπου όπως ενώ να θα δεν μη μην σε στο στη στην στον στους στις στα από για με χωρίς προς κατά μετά πριν μέχρι εγώ εσύ αυτός αυτή αυτό εμείς εσείς αυτοί μου σου μας σας τι ποιος ποια ποιο ποιοι πότε πού πώς πόσο
    είναι ήταν έχει έχουν είχε μπορεί μπορείς μπορείτε πρέπει πολύ πιο και ήδη ακόμα ακόμη μόνο εδώ εκεί τώρα μετά σήμερα χθες αύριο πάντα ποτέ ναι όχι παρακαλώ ευχαριστώ γεια καλημέρα καλησπέρα αγαπητέ αγαπητή αξιότιμε όλα όλοι κάθε άλλο επίσης
    """.split()
)

#: Imperatives and infinitives that open an instruction, and nouns for documents, records and business.
OPENERS = frozenset(
    "leite weiterleiten bestätige bestätigen buche buchen storniere stornieren verschiebe verschieben vereinbare "
    "informiere informieren kontaktiere kontaktieren transmets transmettez contacte contactez préviens prévenez réserve "
    "annule annulez confirme confirmez planifie planifiez rédige rédigez transfère informe informez avisa avisar contacta "
    "reserva cancela cancelar confirma confirmar programa redacta anota reenvía comparte contatta avvisa prenota annulla "
    "conferma inoltra condividi avise contate reserve cancele confirme encaminhe compartilhe agende przekaż skontaktuj "
    "zarezerwuj anuluj potwierdź zaplanuj udostępnij umów poproś ilet bildir iptal onayla planla paylaş bevestig "
    "annuleer plan deel regel boek předej potvrď zruš skicka skriv kolla lägg boka fråga sänd tjek vis læg tag "
    "spørg передай передайте согласуй уточни уточните свяжись свяжитесь попроси попросите поблагодари назначь закрой "
    "забронируй переименуй перезапусти объедини раздели выгрузи загрузи скачай опубликуй опиши оформи подпиши прикрепи "
    "верни возьми включи отключи останови продолжи давай расскажи помоги сообщи сообщите ответь перешли пригласи отмени "
    "подтверди запиши заведи узнай разберись передай передайте узгодь уточни зв'яжись попроси признач закрий забронюй "
    "перейменуй завантаж опублікуй опиши підпиши поверни візьми увімкни вимкни зупини продовж розкажи допоможи повідом "
    "перешли запроси скасуй підтверди запиши дізнайся προώθησε επιβεβαίωσε ακύρωσε ρώτησε πάρε βάλε "
    """
    mach mache macht machen schick schicke schicken sende senden schreib schreibe schreiben prüf prüfe prüfen such suche suchen finde finden zeig zeige zeigen lösch lösche löschen öffne öffnen erstell erstelle erstellen
    füge hinzufügen ändere ändern aktualisiere aktualisieren erklär erkläre erklären fass fasse vergleiche vergleichen hol hole holen gib geben nimm nehmen lies lesen sag sage sagen frag frage fragen ruf rufe anrufen leg lege stell stelle setz setze
    teste testen behebe beheben korrigiere korrigieren ersetze ersetzen entferne entfernen speichere speichern plane planen notiere merke erinnere erinnern übersetze übersetzen lass lasst schau schaue können kannst könntest könnten gibt geht
    angebot angebote rechnung rechnungen vertrag verträge kunde kunden kundin firma unternehmen termin termine besprechung treffen projekt projekte aufgabe aufgaben datei dateien mail mails anruf brief bericht protokoll notiz notizen
    fehler problem probleme ergebnis frage antwort bestellung lieferung lieferant zahlung mahnung kosten preis preise betrag datum uhr zeit tag tage woche monat jahr name adresse nummer telefon thema betreff anhang ansprechpartner zuständig
    vertrieb einkauf buchhaltung abteilung leiter chef chefin kollege kollegin kollegen team gruppe herr frau patient patientin arzt befund diagnose mandant anwalt gericht klage urteil gesetz deutsch englisch ärger server daten datenbank tabelle spalte seite ordner
    ajoute ajouter ajoutez envoie envoyer envoyez écris écrire écrivez vérifie vérifier vérifiez cherche chercher cherchez trouve trouver trouvez montre montrer montrez supprime supprimer supprimez ouvre ouvrir ouvrez crée créer créez modifie modifier modifiez
    corrige corriger corrigez mets mettre mettez explique expliquer expliquez résume résumer résumez compare comparer comparez prépare préparer préparez relis relire relance relancer regarde regardez demande demander demandez appelle appeler appelez donne donner donnez dis dites fais faire faites peux-tu pouvez-vous rappelle rappelez traduis traduire lis lire remplace remplacer
    facture factures contrat contrats client clients cliente société entreprise réunion réunions projet projets tâche tâches fichier fichiers courriel message appel rapport compte devis commande commandes livraison fournisseur paiement prix montant date semaine mois année nom adresse numéro objet réponse question problème erreur équipe service monsieur madame docteur patient avocat tribunal dossier page base données attention
    añade añadir agrega agregar envía enviar manda mandar escribe escribir revisa revisar busca buscar encuentra muestra mostrar borra borrar elimina eliminar abre abrir crea crear cambia cambiar actualiza actualizar corrige corregir pon poner explica explicar resume resumir compara comparar prepara preparar
    dime dame haz hacer pide pedir llama llamar pregunta preguntar recuerda recordar traduce traducir lee leer usa usar comprueba comprobar verifica verificar arregla arreglar puedes podrías necesito quiero
    factura facturas contrato contratos cliente clientes empresa reunión reuniones proyecto tarea tareas archivo archivos correo mensaje llamada informe cuenta presupuesto pedido pedidos entrega proveedor pago precio importe fecha semana mes año nombre dirección número asunto respuesta pregunta problema error equipo señor señora doctor paciente abogado tribunal expediente página base datos oferta
    aggiungi aggiungere invia inviare manda scrivi scrivere controlla controllare verifica verificare cerca cercare trova trovare mostra mostrare cancella cancellare elimina apri aprire crea creare modifica modificare aggiorna aggiornare correggi spiega spiegare riassumi confronta prepara preparare guarda chiedi chiama ricorda traduci leggi usa puoi
    fattura contratto cliente clienti società azienda riunione progetto compito file messaggio chiamata rapporto ordine consegna fornitore pagamento prezzo importo data settimana mese anno nome indirizzo numero oggetto risposta domanda problema errore squadra signor signora dottore paziente avvocato tribunale offerta
    adicione adicionar envie enviar mande escreva escrever verifique verificar procure procurar encontre mostre mostrar apague apagar exclua abra abrir crie criar altere alterar atualize atualizar corrija corrigir explique explicar resuma resumir compare prepare veja diga pergunte ligue lembre traduza leia
    fatura contrato cliente empresa reunião projeto tarefa arquivo ficheiro mensagem relatório conta orçamento pedido entrega fornecedor pagamento preço valor data nome endereço assunto resposta pergunta problema erro equipe senhor senhora paciente advogado
    voeg stuur schrijf controleer zoek vind toon laat verwijder open maak wijzig werk verbeter leg vat vergelijk bereid kijk vraag bel herinner vertaal lees gebruik kunt factuur contract klant bedrijf vergadering project taak bestand bericht gesprek rapport bestelling levering leverancier betaling prijs datum naam adres onderwerp antwoord vraag probleem fout
    dodaj dodać wyślij wysłać napisz napisać sprawdź sprawdzić znajdź poszukaj pokaż usuń usunąć otwórz utwórz stwórz zmień zmienić zaktualizuj popraw poprawić wyjaśnij podsumuj porównaj przygotuj zobacz powiedz zapytaj zadzwoń przypomnij przetłumacz przeczytaj użyj zrób daj możesz potrzebuję
    faktura faktury umowa umowy klient klienci firma spotkanie projekt zadanie zadania plik pliki wiadomość raport konto oferta zamówienie dostawa dostawca płatność cena kwota data nazwa nazwisko adres numer temat odpowiedź pytanie problem błąd zespół pan pani pacjent święta
    přidej pošli napiš zkontroluj najdi ukaž smaž otevři vytvoř změň oprav vysvětli porovnej připrav podívej řekni zavolej přelož faktura smlouva zákazník schůzka úkol soubor zpráva objednávka cena
    ekle gönder yaz kontrol bul göster sil aç oluştur değiştir güncelle düzelt açıkla özetle karşılaştır hazırla bak söyle sor ara hatırlat çevir oku kullan yap ver toplantı fatura sözleşme müşteri şirket proje görev dosya mesaj rapor sipariş teslimat ödeme fiyat tutar tarih isim adres numara konu cevap soru sorun hata ekip hasta avukat
    добавь добавьте отправь отправьте пришли напиши напишите проверь проверьте найди найдите покажи покажите удали удалите открой откройте создай создайте измени измените обнови обновите исправь исправьте объясни объясните сравни сравните подготовь посмотри посмотрите скажи скажите спроси позвони напомни переведи прочитай используй сделай сделайте дай дайте запусти перенеси поставь поменяй убери собери можешь можете
    счёт счет договор клиент клиенты компания фирма встреча проект задача задачи файл письмо сообщение отчёт отчет заказ поставка поставщик оплата цена сумма дата имя адрес номер тема ответ вопрос проблема ошибка команда пациент врач адвокат суд дело
    додай додайте надішли надішліть відправ напиши напишіть перевір перевірте знайди знайдіть покажи покажіть видали видаліть відкрий створи створіть зміни онови виправ виправте поясни порівняй підготуй подивись скажи спитай подзвони нагадай переклади прочитай зроби дай можеш рахунок договір клієнт компанія зустріч проєкт проект завдання файл лист повідомлення звіт замовлення ціна дата адреса номер тема відповідь питання помилка команда
    πρόσθεσε προσθέστε στείλε στείλτε γράψε γράψτε έλεγξε ελέγξτε βρες βρείτε δείξε δείξτε διάγραψε άνοιξε δημιούργησε άλλαξε ενημέρωσε διόρθωσε εξήγησε σύγκρινε ετοίμασε δες πες ρώτα κάλεσε θύμισε μετάφρασε διάβασε κάνε δώσε τιμολόγιο σύμβαση πελάτης εταιρεία συνάντηση έργο εργασία αρχείο μήνυμα αναφορά παραγγελία πληρωμή τιμή ημερομηνία όνομα διεύθυνση αριθμός θέμα απάντηση ερώτηση πρόβλημα λάθος ομάδα
    """.split()
)

#: German function words in lower case that English, Dutch and the Scandinavian languages do not share: two of them
#: make a line German, and in a German line every noun has a capital.
GERMAN_MARKS = frozenset(
    "der das und ist nicht mit für ein eine einen einem einer auf auch sich dem des wird sind wir ihr uns bitte noch "
    "zum zur vom beim im ich kann hat haben wurde wegen nach über aus bei keine kein nur schon heute morgen gestern".split()
)
